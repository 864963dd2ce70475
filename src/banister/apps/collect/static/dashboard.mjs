// The dashboard moves: a line from the server says that something was counted, and the numbers are asked for again.
const board = document.querySelector("[data-board]");
const source = new EventSource(board.dataset.board + "/events");
let asked = false;
source.onmessage = async () => {
  if (asked) return;
  asked = true;
  try {
    const answer = await fetch(board.dataset.board + "/piece");
    if (answer.ok) { // What our own server made, every text in it escaped by the same templates as the page.
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      board.replaceChildren(...made.body.childNodes);
    }
  } finally {
    asked = false;
  }
};
