// Runs side by side: what differs between them, each against the first, and their curves.
import { pathOf, readList } from '../../pure/address.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';
import { query, setQuery } from '../state.js';

type Found = Awaited<ReturnType<typeof runsServer.compare>>;

const Section = ({
  of,
  runs,
  base,
}: {
  of: Found['sections'][number];
  runs: readonly string[];
  base: number;
}) => (
  <details open={of.section === 'parameter'}>
    <summary>
      {of.section}{' '}
      <span class="faint">
        {of.differing} differ, {of.equal} the same
      </span>
    </summary>
    {of.differences.length === 0 ? null : (
      <div class="scroll">
        <table class="plain">
          <tbody>
            {of.differences.map(({ name, values }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {runs.map((run, at) => (
                  <td key={run} class={values[at] === values[base] ? 'faint' : ''}>
                    {of.section === 'code' || of.section === 'patch'
                      ? values[at]?.slice(0, 8)
                      : values[at]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </details>
);

export const CompareScreen = ({ workspace, project }: { workspace: string; project: string }) => {
  const asked = readList(query.value.get('runs'));
  const { value, fault } = useLoaded(
    (signal) => runsServer.compare({ body: { runs: [...asked] } }, signal),
    [asked.join()],
  );
  const base = Math.max(0, value?.runs.indexOf(query.value.get('base') ?? '') ?? 0);
  return (
    <main class="page wide">
      <h1>Compare {asked.length} runs</h1>
      {fault === undefined ? null : <p class="fault">{fault}</p>}
      {value === undefined ? null : (
        <>
          <div class="controls">
            <label>
              base{' '}
              <select
                value={value.runs[base]}
                onChange={({ currentTarget }) => setQuery({ base: currentTarget.value })}
              >
                {value.runs.map((run) => (
                  <option key={run}>{run}</option>
                ))}
              </select>
            </label>
            {value.runs.map((run) => (
              <a key={run} href={pathOf('w', workspace, 'p', project, 'run', run)}>
                {run.slice(0, 8)}
              </a>
            ))}
          </div>
          {value.sections.map((one) => (
            <Section key={one.section} of={one} runs={value.runs} base={base} />
          ))}
        </>
      )}
    </main>
  );
};
