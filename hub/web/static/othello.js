// The rules of Othello as far as pages need them: which discs a move turns over, and who may move. A board is a text of 64
// squares from a1, b1 ... to h8: X is a black disc, O a white one, - an empty square.
//
// No module: scripts that are none use it too.

globalThis.othello = (() => {
  const START = `${"-".repeat(27)}OX------XO${"-".repeat(27)}`;
  const STEPS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
  const otherOf = (mine) => (mine === "X" ? "O" : "X");
  const nameOf = (at) => "abcdefgh"[at % 8] + ((at >> 3) + 1);
  const squareOf = (name) => name.toLowerCase().charCodeAt(0) - 97 + 8 * (Number(name[1]) - 1);

  // The discs that `mine` turns over with a move to the square `at`.
  function turned(board, at, mine) {
    const all = [];
    if (board[at] !== "-") return all;
    for (const [down, right] of STEPS) {
      const line = [];
      let row = (at >> 3) + down;
      let column = (at & 7) + right;
      while (row >= 0 && row < 8 && column >= 0 && column < 8 && board[8 * row + column] === otherOf(mine)) {
        line.push(8 * row + column);
        row += down;
        column += right;
      }
      if (line.length && row >= 0 && row < 8 && column >= 0 && column < 8 && board[8 * row + column] === mine) all.push(...line);
    }
    return all;
  }

  const isLegal = (board, at, mine) => turned(board, at, mine).length > 0;
  const canMove = (board, mine) => [...board].some((_, at) => isLegal(board, at, mine));

  function played(board, at, mine) {
    const squares = [...board];
    for (const disc of [at, ...turned(board, at, mine)]) squares[disc] = mine;
    return squares.join("");
  }

  // Who moves after `mine` has moved; "": nobody can.
  function nextOf(board, mine) {
    if (canMove(board, otherOf(mine))) return otherOf(mine);
    return canMove(board, mine) ? mine : "";
  }

  const count = (board, mine) => [...board].filter((mark) => mark === mine).length;

  return { START, otherOf, nameOf, squareOf, isLegal, canMove, played, nextOf, count };
})();
