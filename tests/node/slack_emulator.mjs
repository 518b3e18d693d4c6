// Slack's Web API on a free loopback port, which is printed; empties itself at each line on stdin, ends with it.
import { Server } from "node:net";
import { createInterface } from "node:readline";
import { createEmulator } from "emulate";

// The emulator listens on every address and at a port that must be known beforehand.
const listen = Server.prototype.listen;
Server.prototype.listen = function () {
  return listen.call(this, 0, "127.0.0.1", () => console.log(this.address().port));
};

const emulator = await createEmulator({ service: "slack", seed: JSON.parse(process.argv[2]) });
const lines = createInterface({ input: process.stdin });
lines.on("line", () => {
  emulator.reset();
  console.log("empty");
});
lines.on("close", () => process.exit());
