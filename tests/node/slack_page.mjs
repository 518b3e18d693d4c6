// Reads [{"name", "blocks"}] and writes one HTML page: each message in a wide Slack column and beside it in a phone's.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { json } from "node:stream/consumers";
import { createElement as element } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { Message } from "slack-blocks-to-jsx";

const SLACK_CSS = createRequire(import.meta.url).resolve("slack-blocks-to-jsx/dist/style.css");
const LOGO = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
const OUR_CSS = `
  * { box-sizing: border-box; }
  body { margin: 16px; background: #fff; font: 15px/22px Lato, "Segoe UI", sans-serif; }
  article { display: grid; grid-template-columns: 600px 360px; gap: 0 24px; align-items: start; width: max-content; }
  h2 { grid-column: 1 / -1; margin: 0; padding: 16px 0 4px; font: 12px/1.5 monospace; color: #777; }
  .column { min-width: 0; padding: 8px 20px; border: 1px solid #ddd; }
  /* As in Slack, a word too long for its line is broken, and each section is a line of its own. */
  .column * { overflow-wrap: anywhere !important; }
  .slack_blocks_to_jsx__rich_text_section_element { display: block !important; }
`;

const column = (width, blocks) =>
  element(
    "div",
    { className: "column", "data-width": width },
    element(Message, { blocks, name: "Memory", logo: LOGO, time: new Date(0), theme: "light" }),
  );

const message = ({ name, blocks }) =>
  element("article", { "data-name": name }, element("h2", null, name), column(600, blocks), column(360, blocks));

const messages = await json(process.stdin);
const body = renderToStaticMarkup(messages.map((one, key) => element("div", { key }, message(one))));
process.stdout.write(
  `<!doctype html><meta charset="utf-8"><title>Slack messages</title>` +
    `<style>${readFileSync(SLACK_CSS, "utf8")}${OUR_CSS}</style>${body}`,
);
