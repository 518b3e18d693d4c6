// The stream of changes, and the banner that says when it is gone.

const RETRY = 3000;
const LOST = "Connection lost. Trying again…";
const SIGNED_OUT = "You are signed out here. Ask for a new link where you got the last one.";

const banner = document.querySelector("#banner");
const again = document.querySelector("#reconnect");
let source;
let timer;

/** Calls `onUpdate` with each update, from now on, whatever happens to the connection. */
export function connect(onUpdate) {
  again.onclick = () => open(onUpdate);
  open(onUpdate);
}

function open(onUpdate) {
  clearTimeout(timer);
  source?.close();
  source = new EventSource("/events");
  source.addEventListener("inbox", ({ data }) => {
    banner.hidden = true;
    onUpdate(JSON.parse(data));
  });
  source.onerror = async () => {
    const gone = source.readyState === EventSource.CLOSED;
    const signedOut = gone && (await isSignedOut());
    show(signedOut ? SIGNED_OUT : LOST, !signedOut);
    if (gone && !signedOut) timer = setTimeout(() => open(onUpdate), RETRY);
  };
}

async function isSignedOut() {
  const response = await fetch("/", { method: "HEAD" }).catch(() => null);
  return response?.status === 401;
}

function show(sentence, retriable) {
  banner.querySelector("p").textContent = sentence;
  again.hidden = !retriable;
  banner.hidden = false;
}
