// The conversation on the page: one entry a message, merged by id, so that a resync neither loses nor doubles one.

const SECOND = 1_000_000; // a Ts counts microseconds
// Of the page's own parts alone: a card may hold a <time> too.
const part = (node, name) => node.querySelector(`:scope > ${name}`);
const keyOf = ({ tagName, dataset }) => [tagName, dataset.kind, dataset.target, dataset.arg].join("\u0000");

export class Thread {
  #entries = new Map(); // message_id → { node, message }; message.pending: asked here, not yet in the server's order
  #list;
  #template;
  #bot;
  #zone;

  constructor(list, template, bot) {
    this.#list = list;
    this.#template = template;
    this.#bot = bot;
  }

  get size() {
    return this.#entries.size;
  }

  /** Shows one event of the stream; returns the messages that are new or changed. */
  apply({ now, person, order, messages }) {
    this.#zone = person.zone;
    const news = messages.filter((message) => this.#isNews(message));
    for (const message of news) this.#put(message);
    this.#drop(new Set(order));
    this.#arrange(order);
    this.#nameDays(now);
    return news;
  }

  /** The person's own words, shown before the server has them. */
  addPending(id, text, now) {
    this.#put({ message_id: id, author: "person", sent_at: now, text, waiting: true, pending: true });
    this.#nameDays(now);
  }

  markFailed(id, sentence, retry) {
    const { node } = this.#entries.get(id);
    const failed = part(node, ".failed");
    failed.querySelector("span").textContent = sentence;
    failed.querySelector("button").onclick = () => {
      failed.hidden = true;
      part(node, ".looking").hidden = false;
      retry();
    };
    failed.hidden = false;
    part(node, ".looking").hidden = true;
  }

  #isNews(message) {
    const shown = this.#entries.get(message.message_id)?.message;
    return !shown || shown.pending || shown.revision !== message.revision || shown.waiting !== message.waiting;
  }

  #put(message) {
    const id = message.message_id;
    const node = this.#entries.get(id)?.node ?? this.#build(message);
    this.#entries.set(id, { node, message });
    this.#fill(part(node, ".bubble"), message);
    part(node, ".looking").hidden = !message.waiting;
    part(node, ".failed").hidden = true;
    const time = part(node, ".when > time");
    const moment = new Date(message.sent_at / 1000);
    time.dateTime = moment.toISOString();
    time.textContent = this.#format(moment, { hour: "2-digit", minute: "2-digit" });
    const author = message.author === "bot" ? this.#bot : "You";
    part(node, ".bubble").setAttribute("aria-label", `${author}, ${time.textContent}`);
  }

  #build(message) {
    const node = this.#template.content.firstElementChild.cloneNode(true);
    node.classList.add(message.author);
    node.dataset.message = message.message_id;
    this.#list.append(node);
    return node;
  }

  #fill(bubble, message) {
    if (message.pending) {
      bubble.textContent = message.text;
      return;
    }
    const held = bubble.contains(document.activeElement) ? keyOf(document.activeElement) : null;
    const fragment = document.createElement("template");
    fragment.innerHTML = message.html;
    // No card holds either; both lead the page away, and no content policy stops a refresh.
    for (const exit of fragment.content.querySelectorAll("meta, form")) exit.replaceWith(...exit.childNodes);
    bubble.replaceChildren(fragment.content);
    bubble.removeAttribute("aria-busy");
    if (held !== null) (this.#control(bubble, held) ?? bubble).focus();
  }

  #control(bubble, key) {
    return [...bubble.querySelectorAll("[data-kind]")].find((control) => keyOf(control) === key);
  }

  #drop(kept) {
    for (const [id, { node, message }] of this.#entries) {
      if (kept.has(id) || message.pending) continue;
      node.remove();
      this.#entries.delete(id);
    }
  }

  /** Moves only what is out of place: a moved node would lose the focus. */
  #arrange(order) {
    order.forEach((id, index) => {
      const { node } = this.#entries.get(id);
      const there = this.#list.children[index];
      if (there !== node) this.#list.insertBefore(node, there);
    });
  }

  #nameDays(now) {
    let previous = "";
    for (const node of this.#list.children) {
      const { message } = this.#entries.get(node.dataset.message);
      const name = this.#dayName(message.sent_at, now);
      const day = part(node, ".day");
      day.textContent = name;
      day.hidden = name === previous;
      previous = name;
    }
  }

  #dayName(ts, now) {
    const day = (moment) => this.#format(new Date(moment / 1000), { weekday: "long", day: "numeric", month: "long" });
    if (day(ts) === day(now)) return "Today";
    return day(ts) === day(now - 86_400 * SECOND) ? "Yesterday" : day(ts);
  }

  #format(moment, parts) {
    return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: this.#zone }).format(moment);
  }
}
