// Wires the page: updates come in by the stream, questions and taps go out by POST.

import { announce } from "./announce.js";
import { listenForQuestions } from "./composer.js";
import { connect } from "./connection.js";
import { post } from "./post.js";
import { listenForTaps } from "./taps.js";
import { Thread } from "./thread.js";

const find = (selector) => document.querySelector(selector);
const list = find("#thread");
const newer = find("#newer");
const title = document.title;
const thread = new Thread(list, find("#entry"), document.body.dataset.bot);
let loaded = false;
let pinned = true;
let unread = 0;
let now = Date.now() * 1000; // a Ts: the server's clock, once it was heard

function update(change) {
  const known = thread.size;
  now = change.now;
  const news = thread.apply(change).filter((message) => message.author === "bot");
  describe(change.person);
  if (!pinned && thread.size > known) newer.hidden = false;
  if (loaded) news.forEach(tell);
  find("main").removeAttribute("aria-busy");
  loaded = true;
}

function tell({ fallback }) {
  announce(fallback);
  if (document.visibilityState === "visible") return;
  unread += 1;
  document.title = `(${unread}) ${fallback}`;
}

function describe({ status, suggestions }) {
  find("#status").textContent = status;
  find("#empty").hidden = thread.size > 0;
  const shown = [...find("#suggestions").children].map((item) => item.textContent);
  if (shown.join("\n") !== suggestions.join("\n")) suggest(suggestions);
}

function suggest(suggestions) {
  find("#suggestions-title").hidden = suggestions.length === 0;
  find("#suggestions").replaceChildren(...suggestions.map(suggestion));
}

function suggestion(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.onclick = () => {
    find("#question").focus();
    ask(text);
  };
  const item = document.createElement("li");
  item.append(button);
  return item;
}

function ask(text) {
  const id = crypto.randomUUID();
  thread.addPending(id, text, now);
  find("#empty").hidden = true;
  announce("Looking…");
  toBottom();
  send(id, text);
}

/** A second try carries the same id: the server knows it again, and asks once. */
async function send(id, text) {
  const { ok, sentence } = await post("/ask", { event_id: id, text });
  if (ok) return;
  announce(sentence);
  thread.markFailed(id, sentence, () => send(id, text));
}

// Whoever reads the newest message keeps seeing it while things grow; whoever reads further up is left there.
const page = document.scrollingElement;
const keepPinned = new ResizeObserver(() => pinned && toBottom());

function toBottom() {
  pinned = true;
  newer.hidden = true;
  page.scrollTo({ top: page.scrollHeight });
}

keepPinned.observe(list);
keepPinned.observe(find(".bottom"));
newer.addEventListener("click", toBottom);
document.addEventListener("scroll", () => {
  pinned = page.scrollHeight - page.scrollTop - page.clientHeight < 120;
  if (pinned) newer.hidden = true;
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") return;
  unread = 0;
  document.title = title;
});

listenForTaps(list);
listenForQuestions(find("#composer"), ask);
connect(update);
