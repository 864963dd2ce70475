// Words that complete what is typed into a field with data-complete; the form's data-words lists them all.
// Keys: arrows choose, Enter or Tab takes, Escape closes. The field keeps the focus, as screen readers expect of a listbox.

const MOST = 7;
const PIECE = /[\p{L}\p{N}_'(*]+$/u;

function fitting(field) {
  const typed = field.value.slice(0, field.selectionStart).match(PIECE)?.[0] ?? "";
  const next = field.value.slice(field.selectionStart, field.selectionStart + 1);
  if (typed.length < 1 || /[\p{L}\p{N}_]/u.test(next) || field.selectionStart !== field.selectionEnd) return ["", []];
  const words = JSON.parse(field.form.dataset.words);
  const low = typed.toLowerCase().replace(/^.*\(/, "");
  const found = low ? words.filter((word) => word.toLowerCase().replace(/^'/, "").startsWith(low.replace(/^'/, "")) && word.toLowerCase() !== low) : [];
  return [low, found.slice(0, MOST)];
}

function close(field, list) {
  list.hidden = true;
  list.replaceChildren();
  field.removeAttribute("aria-activedescendant");
}

function choose(field, list, place) {
  [...list.children].forEach((item, i) => item.setAttribute("aria-selected", i === place ? "true" : "false"));
  if (place >= 0) {
    field.setAttribute("aria-activedescendant", list.children[place].id);
    list.children[place].scrollIntoView({ block: "nearest" });
  } else field.removeAttribute("aria-activedescendant");
}

function take(field, list, word) {
  const [typed] = fitting(field);
  const end = field.selectionStart;
  field.setRangeText(word + (/[(')]$/.test(word) ? "" : " "), end - typed.length, end, "end");
  close(field, list);
  field.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "taken" }));
  field.focus();
}

function show(field, list) {
  const [, words] = fitting(field);
  if (!words.length) return close(field, list);
  list.replaceChildren(
    ...words.map((word, i) => {
      const item = document.createElement("li");
      item.id = `${list.id}-${i}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.textContent = word;
      return item;
    }),
  );
  list.hidden = false;
}

const at = (event) => {
  const field = event.target.closest?.("[data-complete]");
  return field ? [field, document.getElementById(field.dataset.complete)] : [];
};

document.addEventListener("input", (event) => {
  const [field, list] = at(event);
  if (field) event.detail === "taken" ? close(field, list) : show(field, list);
});
document.addEventListener("keydown", (event) => {
  const [field, list] = at(event);
  if (!field || list.hidden) return;
  const items = [...list.children];
  const now = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") choose(field, list, (now + 1) % items.length);
  else if (event.key === "ArrowUp") choose(field, list, (now + items.length - (now < 0 ? 0 : 1)) % items.length);
  else if (event.key === "Escape") close(field, list);
  else if ((event.key === "Enter" || event.key === "Tab") && now >= 0) take(field, list, items[now].textContent);
  else return;
  event.preventDefault();
});
document.addEventListener("mousedown", (event) => {
  const item = event.target.closest?.(".words [role=option]");
  if (!item) return;
  event.preventDefault();
  const field = document.querySelector(`[data-complete="${item.parentElement.id}"]`);
  take(field, item.parentElement, item.textContent);
});
document.addEventListener("focusout", (event) => {
  const [field, list] = at(event);
  if (field) close(field, list);
});
