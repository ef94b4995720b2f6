// The figures of all groups, of every level together, as a table for a paper.
import { labelOf, type RunColumn } from '../../pure/columns.js';
import { groupName } from '../../pure/grouping.js';
import { meanText, readSpread, spreadText, type GroupFigures } from '../../pure/spread.js';
import { latexOf, markdownOf, type PaperTable } from '../../pure/paper.js';
import { attempt } from '../attempt.js';
import { runsServer } from '../server.js';
import { query, tell } from '../state.js';
import type { Chosen } from './chosen.js';

type Figures = Awaited<ReturnType<typeof runsServer.group>>['columns'][number];

/** The figures of one group in a column. */
export const figuresAt = ({ n, mean, deviation, min, max }: Figures, at: number): GroupFigures => ({
  n: n[at] ?? 0,
  mean: mean[at] ?? null,
  deviation: deviation[at] ?? null,
  min: min[at] ?? null,
  max: max[at] ?? null,
});

const ask = async (
  { groups, rules, archived }: Chosen,
  project: string,
  columns: readonly RunColumn[],
): Promise<PaperTable> => {
  const found = await runsServer.group({
    body: {
      project,
      query: rules,
      archived,
      by: [...groups],
      columns: [...columns],
      limit: mostGroups,
    },
  });
  return {
    head: [groups.map(({ name }) => name).join(' / '), 'runs', ...columns.map(labelOf)],
    rows: found.groups.map(({ keys, runs }, at) => [
      keys.map(groupName).join(' / '),
      String(runs),
      ...found.columns.map((column) => {
        const figures = figuresAt(column, at);
        const spread = spreadText(figures, readSpread(query.value.get('spread')));
        const says = meanText(figures);
        return spread === ''
          ? says
          : spread.startsWith('±')
            ? `${says} ${spread}`
            : `${says} (${spread})`;
      }),
    ]),
  };
};

const mostGroups = 1000;
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
  <>
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
  </>
);
