"""A neutral card as an HTML fragment, for the local inbox and the preview page. No script, no inline style.

The contract with the page around it:
- `<article class="card card-material?" aria-label=…>` holds everything; there is no form.
- Every action is `<button type="button" class="card-button card-button-primary?">` with `data-kind`, `data-target`,
  `data-nonce`, and only where there is one `data-arg` and `data-confirm` (the question to ask before acting).
  Links out are `<a class="card-button" href target="_blank" rel="noopener noreferrer">`.
- Parts: card-title, card-text, card-quote, card-quote-source, card-list, card-list-title, card-item, card-item-title,
  card-change, card-side, card-label, card-note, card-more, card-fields, card-citations, card-citation, card-context,
  card-divider, card-outcome (role="status"), card-actions, card-button. Their looks are in card.css: `card_css()`.
- Before and after are `<del>` and `<ins>` with their labels in words; every date is a `<time datetime>`.
"""
