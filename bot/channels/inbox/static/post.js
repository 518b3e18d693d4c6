// One request of the page. A failure is a sentence too: whoever pressed a button hears what became of it.

const FAILED = "That did not go through. Is the bot still running?";

/** The server's answer, with `ok` and, where there is something to say, `sentence`. */
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Clarify-Inbox": "1" },
      body: JSON.stringify(body),
    });
    const { sentence } = await response.json();
    return { ok: response.ok, sentence };
  } catch {
    return { ok: false, sentence: FAILED };
  }
}
