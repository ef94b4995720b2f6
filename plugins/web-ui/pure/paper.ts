// A table as it stands in a paper: Markdown or LaTeX. Pure.
export interface PaperTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const inMarkdown = (cell: string): string =>
  cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

/** The first column is text, the others are numbers. */
export const markdownOf = ({ head, rows }: PaperTable): string => {
  const line = (cells: readonly string[]) => `| ${cells.map(inMarkdown).join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, at) => (at === 0 ? ' --- |' : ' ---: |')).join('')}`,
    ...rows.map(line),
  ].join('\n');
};

const latexSigns: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '±': '$\\pm$',
};
const inLatex = (cell: string): string =>
  cell.replaceAll(/[\\~^±&%$#_{}]/g, (sign) => latexSigns[sign] ?? `\\${sign}`);

/** With the rules of the package `booktabs`. */
export const latexOf = ({ head, rows }: PaperTable): string => {
  const line = (cells: readonly string[]) => `${cells.map(inLatex).join(' & ')} \\\\`;
  return [
    `\\begin{tabular}{${head.map((_, at) => (at === 0 ? 'l' : 'r')).join('')}}`,
    '\\toprule',
    line(head),
    '\\midrule',
    ...rows.map(line),
    '\\bottomrule',
    '\\end{tabular}',
  ].join('\n');
};
