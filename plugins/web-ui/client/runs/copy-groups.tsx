// The figures of all groups, of every level together, as a table for a paper.
import { labelOf, type RunColumn } from '../../pure/columns.js';
import { formatNumber } from '../../pure/format.js';
import { groupName } from '../../pure/grouping.js';
import { latexOf, markdownOf, type PaperTable } from '../../pure/paper.js';
import { attempt } from '../attempt.js';
import { runsServer } from '../server.js';
import { tell } from '../state.js';
import type { Chosen } from './chosen.js';

const ask = async (
  { groups, rules, archived }: Chosen,
  project: string,
  columns: readonly RunColumn[],
): Promise<PaperTable> => {
  const found = await runsServer.group({
    body: { project, query: rules, archived, by: [...groups], columns: [...columns] },
  });
  return {
    head: [groups.map(({ name }) => name).join(' / '), 'runs', ...columns.map(labelOf)],
    rows: found.groups.map(({ keys, runs }, at) => [
      keys.map(groupName).join(' / '),
      String(runs),
      ...found.columns.map(({ n, mean, deviation }) => {
        const [middle, spread] = [mean[at] ?? null, deviation[at] ?? null];
        if (middle === null) return '–';
        const says = formatNumber(Number(middle.toPrecision(4)));
        return spread === null || (n[at] ?? 0) < 2
          ? says
          : `${says} ± ${formatNumber(Number(spread.toPrecision(2)))}`;
      }),
    ]),
  };
};

const forms = { Markdown: markdownOf, LaTeX: latexOf } as const;

export const CopyGroups = ({
  of,
  project,
  columns,
}: {
  of: Chosen;
  project: string;
  columns: readonly RunColumn[];
}) => (
  <p class="controls">
    {Object.entries(forms).map(([name, write]) => (
      <button
        key={name}
        type="button"
        onClick={() =>
          attempt(
            ask(of, project, columns)
              .then((table) => navigator.clipboard.writeText(write(table)))
              .then(() => tell(`Copied as ${name}`)),
          )
        }
      >
        Copy as {name}
      </button>
    ))}
  </p>
);
