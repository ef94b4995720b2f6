// The versions of artifacts that runs used and made, run beside run.
import { differs } from '../../pure/columns.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Grid, type GridRow } from './grid.js';
import type { Compared } from './runs.js';
import { flag } from './values.js';
import { Wait } from '../shell/wait.js';

const atOnce = 6;

type Versions = Awaited<ReturnType<typeof runServer.getArtifacts>>['inputArtifacts'];

/** Each artifact that one of the runs has, with the versions of each run. */
const rowsOf = (lists: readonly Versions[]): readonly GridRow[] => {
  const nameOf = ({ artifact }: Versions[number]) =>
    `${artifact.workspaceName}/${artifact.artifactName}`;
  const workspaces = new Set(lists.flat().map(({ artifact }) => artifact.workspaceName));
  return [...new Set(lists.flat().map(nameOf))].sort().map((name) => ({
    name: workspaces.size > 1 ? name : name.slice(name.indexOf('/') + 1),
    values: lists.map(
      (list) =>
        list
          .filter((one) => nameOf(one) === name)
          .map(({ artifactVersion, alias }) =>
            [artifactVersion, ...(alias.length === 0 ? [] : [`(${alias.join(', ')})`])].join(' '),
          )
          .join(', ') || null,
    ),
  }));
};

const Part = ({
  title,
  lists,
  of,
  base,
  addressOf,
}: {
  title: string;
  lists: readonly Versions[];
  of: Compared;
  base: number;
  addressOf: (run: string) => string;
}) => {
  const rows = rowsOf(lists);
  const differing = rows.filter(({ values }) => differs(values));
  const shown = flag('differing', true) ? differing : rows;
  return (
    <section>
      <h2>
        {title}{' '}
        <span class="faint">
          {differing.length} differ, {rows.length - differing.length} the same
        </span>
      </h2>
      {shown.length === 0 ? (
        <p class="empty">
          {rows.length === 0 ? 'None of these runs has any.' : 'All runs have the same versions.'}
        </p>
      ) : (
        <Grid
          label={`Artifacts that were ${title}`}
          rows={shown}
          plain
          runs={of.keys}
          base={base}
          transposed={flag('transposed')}
          nameOf={of.nameOf}
          addressOf={addressOf}
        />
      )}
    </section>
  );
};

export const CompareArtifacts = (props: {
  of: Compared;
  base: number;
  addressOf: (run: string) => string;
}) => {
  const { keys } = props.of;
  const { value, fault } = useLoaded(
    async (signal) => {
      const found: Awaited<ReturnType<typeof runServer.getArtifacts>>[] = [];
      for (let at = 0; at < keys.length; at += atOnce)
        found.push(
          ...(await Promise.all(
            keys
              .slice(at, at + atOnce)
              .map((experimentKey) => runServer.getArtifacts({ query: { experimentKey } }, signal)),
          )),
        );
      return found;
    },
    [keys.join()],
  );
  if (value === undefined) return <Wait fault={fault} />;
  return (
    <>
      <Part {...props} title="used" lists={value.map(({ inputArtifacts }) => inputArtifacts)} />
      <Part {...props} title="made" lists={value.map(({ outputArtifacts }) => outputArtifacts)} />
    </>
  );
};
