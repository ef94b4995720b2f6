/** A row of RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe before it. */
export const csvRow = (cells: readonly (string | number | boolean | null | undefined)[]): string =>
  `${cells
    .map((cell) => {
      const text = cell === null || cell === undefined ? '' : String(cell);
      const safe = typeof cell === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    })
    .join(',')}\r\n`;
