// What a screen reader hears: each sentence once, when it is free to speak.

const KEPT = 5;
const region = document.querySelector("#announcer");

export function announce(sentence) {
  const line = document.createElement("p");
  line.textContent = sentence;
  region.append(line);
  while (region.children.length > KEPT) region.firstElementChild.remove();
}
