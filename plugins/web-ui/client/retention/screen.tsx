// After which age traces of a workspace and its projects are deleted.
import { formatAgo } from '../../pure/format.js';
import { useLoaded, useStored } from '../loading.js';
import { useMembers } from '../members/role.js';
import { server } from '../server.js';
import { retentionServer } from '../settings-server.js';
import { Act, Form, type Fields } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { tell } from '../state.js';
import { ThreadTimeout } from './thread-timeout.js';

const mostRules = 200;

const ages = {
  short_14d: 'after 14 days',
  base_60d: 'after 60 days',
  extended_400d: 'after 400 days',
  unlimited: 'never',
} as const;
type Age = keyof typeof ages;
const ageNames = Object.keys(ages) as readonly Age[]; // the keys named above
const saysAge = (name: string): string => (Object.hasOwn(ages, name) ? ages[name as Age] : name); // one of the keys, as was just seen

const useProjects = (workspace: string) =>
  useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  ).value?.projects ?? [];

export const RetentionScreen = ({ workspace }: { workspace: string }) => {
  const { administers } = useMembers(workspace);
  const projects = useProjects(workspace);
  const { value, fault, again } = useStored(
    (signal) => retentionServer.list({ query: { size: mostRules } }, signal),
    [workspace],
  );
  const nameOf = (id: string | undefined) =>
    id === undefined
      ? 'every project without a rule of its own'
      : (projects.find(({ projectId }) => projectId === id)?.projectName ?? id);
  const add = async (field: Fields) => {
    const project = field('project');
    const retention = ageNames.find((one) => one === field('age')) ?? 'base_60d';
    await retentionServer.add({
      body: {
        retention,
        apply_to_past: field('past') !== '',
        ...(project === '' ? {} : { project_id: project }),
      },
    });
    tell('The rule is in force');
    again();
  };
  return (
    <main class="page wide">
      <h1>Retention</h1>
      <WorkspaceTabs workspace={workspace} at="retention" />
      <p class="said">
        Traces are kept until a rule deletes them, with their spans, scores, comments and files. A
        new rule takes the place of the one that is in force there.
      </p>
      {administers ? (
        <Form label="Make a rule" verb="Make a rule" onSend={add}>
          <select name="project" aria-label="Traces of">
            <option value="">every project</option>
            {projects.map(({ projectId, projectName }) => (
              <option key={projectId} value={projectId}>
                {projectName}
              </option>
            ))}
          </select>
          <label>
            are deleted
            <select name="age" aria-label="After which age">
              {ageNames.map((name) => (
                <option key={name} value={name}>
                  {ages[name]}
                </option>
              ))}
            </select>
          </label>
          <label>
            <input type="checkbox" name="past" />
            those from before today too
          </label>
        </Form>
      ) : null}
      <Rows
        label="Rules"
        of={{ value: value?.content, fault }}
        head={['Traces of', 'Deleted', 'From before it', 'By', 'Made', '']}
        empty="No rule: traces are kept until they are deleted by hand."
      >
        {(one) => (
          <tr key={one.id}>
            <td class="long">{nameOf(one.project_id)}</td>
            <td>{saysAge(one.retention)}</td>
            <td>{one.apply_to_past ? 'too' : 'not'}</td>
            <td>{one.created_by}</td>
            <td>{formatAgo(Date.parse(one.created_at), Date.now())}</td>
            <td class="does">
              {administers ? (
                <Act
                  verb="Switch off"
                  label={`Switch off the rule of ${nameOf(one.project_id)}`}
                  warns="Nothing more is deleted by it; what is gone stays gone."
                  says="The rule is off"
                  onDo={() => retentionServer.end({ params: { ruleId: one.id } }).finally(again)}
                />
              ) : null}
            </td>
          </tr>
        )}
      </Rows>
      {value !== undefined && value.total > value.content.length ? (
        <p class="faint">
          The newest {value.content.length} of {value.total} rules.
        </p>
      ) : null}
      <ThreadTimeout workspace={workspace} />
    </main>
  );
};
