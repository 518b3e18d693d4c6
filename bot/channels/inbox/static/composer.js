// Where the person writes. Enter sends, Shift+Enter starts a new line; Enter that ends an input method's word does not.

export function listenForQuestions(form, ask) {
  const box = form.querySelector("textarea");
  const fit = () => {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  };
  box.addEventListener("input", fit);
  box.addEventListener("keydown", (press) => {
    if (press.key !== "Enter" || press.shiftKey || press.isComposing) return;
    press.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (submission) => {
    submission.preventDefault();
    const text = box.value.trim();
    box.focus();
    if (!text) return;
    box.value = "";
    fit();
    ask(text);
  });
}
