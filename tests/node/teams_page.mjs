// Reads [{"name", "card"}] and writes one HTML page that draws each Adaptive Card with Microsoft's renderer, as wide as
// on a desktop and beside it as on a phone. The property `taps` of a column holds what its buttons would have sent.
import { readFileSync } from "node:fs";
import { json } from "node:stream/consumers";

const OUR_CSS = `
  body { margin: 16px; background: #fff; }
  article { display: grid; grid-template-columns: 600px 360px; gap: 0 24px; align-items: start; width: max-content; }
  h2 { grid-column: 1 / -1; margin: 0; padding: 16px 0 4px; font: 12px/1.5 monospace; color: #777; }
  /* As in a chat, a word too long for its line is broken. */
  .column { min-width: 0; border: 1px solid #ddd; border-radius: 4px; overflow-wrap: anywhere; }
  button { padding: 5px 12px; border: 1px solid #ccc; border-radius: 4px; background: #fff; font: 600 14px "Segoe UI", "Liberation Sans", sans-serif; }
  button.style-positive { background: #5b5fc7; color: #fff; }
  select { width: 100%; padding: 5px; border: 1px solid #ccc; border-radius: 4px; background: #fff; font: 14px "Segoe UI", "Liberation Sans", sans-serif; }
`;

// Runs in the page. Sizes, spacing and the number of actions are what Teams is known to set.
function draw(cards) {
  const { AdaptiveCard, ExecuteAction, HostConfig } = AdaptiveCards;
  const fontSizes = { small: 12, default: 14, medium: 14, large: 18, extraLarge: 24 };
  const style = (backgroundColor) => ({
    backgroundColor,
    foregroundColors: { default: { default: "#242424", subtle: "#616161" } },
  });
  const host = new HostConfig({
    fontFamily: "'Segoe UI', 'Liberation Sans', sans-serif",
    fontStyles: { default: { fontSizes }, monospace: { fontFamily: "monospace", fontSizes } },
    spacing: { small: 8, default: 12, medium: 16, large: 20, extraLarge: 24, padding: 16 },
    separator: { lineThickness: 1, lineColor: "#eeeeee" },
    containerStyles: { default: style("#ffffff"), emphasis: style("#f5f5f5") },
    actions: { maxActions: 6, buttonSpacing: 8, actionsOrientation: "Horizontal", actionAlignment: "Left" },
  });
  const sent = (action) =>
    action instanceof ExecuteAction ? { verb: action.verb, data: structuredClone(action.data) } : { url: action.url };

  AdaptiveCard.onProcessMarkdown = (text, result) =>
    Object.assign(result, { outputHtml: marked.parse(text), didProcess: true });
  for (const { name, card } of cards) {
    const article = document.body.appendChild(document.createElement("article"));
    article.dataset.name = name;
    article.appendChild(document.createElement("h2")).textContent = name;
    for (const width of [600, 360]) {
      const column = article.appendChild(document.createElement("div"));
      Object.assign(column, { className: "column", taps: [] });
      column.dataset.width = width;
      const drawn = new AdaptiveCard();
      drawn.hostConfig = host;
      drawn.onExecuteAction = (action) => column.taps.push(sent(action));
      drawn.parse(card);
      column.appendChild(drawn.render());
    }
  }
}

const installed = (file) => readFileSync(new URL(`node_modules/${file}`, import.meta.url), "utf8");
const script = (text) => `<script>${text.replaceAll("</script", "<\\/script")}</script>`;
const cards = JSON.stringify(await json(process.stdin)).replaceAll("<", "\\u003c");
process.stdout.write(
  `<!doctype html><meta charset="utf-8"><title>Adaptive Cards</title><style>${OUR_CSS}</style><body>` +
    script(installed("adaptivecards/dist/adaptivecards.min.js")) +
    script(installed("marked/lib/marked.umd.js")) +
    script(`(${draw})(${cards})`),
);
