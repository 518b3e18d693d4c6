// A card's buttons: ask first where the card says so, send one tap at a time, show what came of it beside the card.
// The button of a choice sends what its select says, as the tap's argument.

import { announce } from "./announce.js";
import { post } from "./post.js";

const dialog = document.querySelector("#confirm");
const choices = [dialog.querySelector("#confirm-no"), dialog.querySelector("#confirm-yes")];

export function listenForTaps(list) {
  list.addEventListener("click", (click) => {
    const button = click.target.closest("button[data-kind]");
    if (button && button.getAttribute("aria-disabled") !== "true") tap(button);
  });
  const [no, yes] = choices;
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", () => dialog.close("yes"));
  dialog.addEventListener("keydown", keepFocus);
}

async function tap(button) {
  const entry = button.closest(".entry");
  if ("confirm" in button.dataset && !(await confirmed(button))) return;
  if (!button.isConnected) return settle(entry, "This card has just changed. Look at it once more.");
  const { kind, target, nonce } = button.dataset;
  const arg = button.dataset.arg ?? selectOf(button)?.value;
  if (arg === "") return settle(entry, "Choose one first.");
  const body = { event_id: crypto.randomUUID(), message_id: entry.dataset.message, kind, target, nonce };
  setBusy(entry, true);
  settle(entry, "");
  const { sentence } = await post("/tap", arg === undefined ? body : { ...body, arg });
  setBusy(entry, false);
  settle(entry, sentence ?? "");
}

const selectOf = (button) => button.closest(".card-choice")?.querySelector("select");

/** Resolves to whether the person said yes. Escape is no, and the focus goes back to the button. */
function confirmed(button) {
  dialog.querySelector("#confirm-title").textContent = `${button.textContent.trim()}?`;
  dialog.querySelector("#confirm-text").textContent = button.dataset.confirm;
  choices[1].textContent = button.textContent.trim();
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        if (!button.isConnected) document.querySelector("#question").focus();
        resolve(dialog.returnValue === "yes");
      },
      { once: true },
    );
  });
}

/** The browser's own modal lets Tab leave for its toolbars. */
function keepFocus(press) {
  if (press.key !== "Tab") return;
  press.preventDefault();
  choices[choices.indexOf(document.activeElement) === 0 ? 1 : 0].focus();
}

/** Not `disabled`: that would drop the focus of whoever just pressed the button. */
function setBusy(entry, busy) {
  entry.querySelector(":scope > .bubble").setAttribute("aria-busy", busy);
  for (const button of entry.querySelectorAll("button[data-kind]")) button.setAttribute("aria-disabled", busy);
}

function settle(entry, sentence) {
  const outcome = entry.querySelector(":scope > .outcome");
  outcome.textContent = sentence;
  outcome.hidden = !sentence;
  if (!sentence) return;
  outcome.scrollIntoView({ block: "nearest" });
  announce(sentence);
}
