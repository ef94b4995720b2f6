// A project as a whole: what people say about it, what it holds, who may see it, and what is done to all of it.
import { addressIn, pathOf } from '../../pure/address.js';
import { formatBytes, formatCount } from '../../pure/format.js';
import { ProjectPages } from '../additions/project-pages.js';
import { attempt } from '../attempt.js';
import { useLoaded, useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { server } from '../server.js';
import { placeServer } from '../settings-server.js';
import { deleteSoon } from '../shell/delete-soon.js';
import { Act, Asks, Form, type Fields } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { go, tell } from '../state.js';
import { Notes } from '../told/notes.js';
import { Wait } from '../shell/wait.js';

type Project = Awaited<ReturnType<typeof server.getProject>>;

const Held = ({ project }: { project: string }) => {
  const { value, fault } = useLoaded(
    (signal) => placeServer.usage({ params: { project } }, signal),
    [project],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const rows: readonly (readonly [string, string])[] = [
    ['Runs', `${formatCount(value.runs)}, of which ${formatCount(value.archivedRuns)} archived`],
    ['Points', `${formatCount(value.points)} in ${formatCount(value.series)} curves`],
    ['Files', `${formatCount(value.assets)}, ${formatBytes(value.assetBytes)}`],
    ['Texts', formatBytes(value.textBytes)],
    [
      'Its workspace',
      `${formatBytes(value.workspaceBytes)}${value.workspaceBytesLimit === null ? '' : ` of ${formatBytes(value.workspaceBytesLimit)}`}`,
    ],
    ...(value.runsLimit === null ? [] : [['Runs at most', formatCount(value.runsLimit)] as const]),
  ];
  return (
    <table class="plain">
      <tbody>
        {rows.map(([name, says]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{says}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** Codes by which anybody reads the project, without an account, until they are taken back. */
const Shares = ({ of, workspace }: { of: Project; workspace: string }) => {
  const { value, fault, again } = useStored(
    (signal) => placeServer.shareLinks({ query: { projectId: of.projectId } }, signal),
    [of.projectId],
  );
  const addressOf = (code: string) =>
    location.origin + addressIn(pathOf('s', code, 'w', workspace, 'p', of.projectName, 'runs'));
  return (
    <section aria-label="Links that are shared">
      <h2>Shared links</h2>
      <Form
        label="Share this project"
        verb="Make a link"
        onSend={() =>
          placeServer.addShareLink({ query: { projectId: of.projectId } }).finally(again)
        }
      >
        <span class="faint">
          Whoever has it reads this project and its runs, without an account.
        </span>
      </Form>
      <Rows
        label="Shared links"
        of={{ value: value?.shareCodes, fault }}
        head={['Link', '']}
        empty="This project is not shared."
      >
        {(code) => (
          <tr key={code}>
            <td class="long">
              <a href={addressOf(code)} target="_blank" rel="noopener">
                {addressOf(code)}
              </a>
            </td>
            <td class="does">
              <button
                type="button"
                onClick={() =>
                  attempt(
                    navigator.clipboard.writeText(addressOf(code)).then(() => tell('Link copied')),
                  )
                }
              >
                Copy
              </button>
              <Act
                verb="Take back"
                label="Take back the link"
                warns="Whoever has the link sees nothing by it from then on."
                says="The link is taken back"
                danger
                onDo={() =>
                  placeServer
                    .deleteShareLink({ query: { projectId: of.projectId, shareCode: code } })
                    .finally(again)
                }
              />
            </td>
          </tr>
        )}
      </Rows>
    </section>
  );
};

const Changes = ({
  of,
  workspace,
  again,
}: {
  of: Project;
  workspace: string;
  again: () => void;
}) => {
  const named = { projectId: of.projectId };
  const describe = async (field: Fields) => {
    await placeServer.updateProject({
      body: { ...named, newProjectDescription: field('description') },
    });
    tell('Saved');
    again();
  };
  return (
    <>
      <Form label="Description" verb="Save" onSend={describe}>
        <input
          name="description"
          class="wide"
          aria-label="Description"
          placeholder="what this project is about"
          maxLength={1000}
          defaultValue={of.projectDescription ?? ''}
          key={of.projectDescription}
        />
      </Form>
      <p class="controls">
        <Asks
          verb="Rename"
          label={`Rename ${of.projectName}`}
          says="The project is renamed"
          warns="Programs that name the project need its new name; links by keys of runs stay."
          onSend={async (field) => {
            const name = field('name');
            await placeServer.updateProject({ body: { ...named, newProjectName: name } });
            go(pathOf('w', workspace, 'p', name, 'about'));
          }}
        >
          <label>
            New name
            <input name="name" required maxLength={100} defaultValue={of.projectName} />
          </label>
        </Asks>
        <Act
          verb={of.public ? 'Make private' : 'Publish'}
          label={`${of.public ? 'Make private' : 'Publish'} ${of.projectName}`}
          warns={
            of.public
              ? 'Only members of the workspace see it from then on.'
              : 'Everybody who has an account here sees it and its runs from then on.'
          }
          says="Saved"
          onDo={() =>
            placeServer.updateProject({ body: { ...named, isPublic: !of.public } }).finally(again)
          }
        />
        <Asks
          verb="Move"
          label={`Move ${of.projectName}`}
          says="The project is moved"
          warns="The project goes to another workspace with its runs and notes."
          onSend={async (field) => {
            const target = field('target');
            await placeServer.moveProject({
              body: {
                ...named,
                targetWorkspaceName: target,
                contents: field('contents') === '' ? 'leave' : 'move',
              },
            });
            go(pathOf('w', target, 'p', of.projectName, 'about'));
          }}
        >
          <label>
            To the workspace
            <input name="target" required />
          </label>
          <label class="check">
            <input type="checkbox" name="contents" defaultChecked />
            with the artifacts and models that its runs made
          </label>
        </Asks>
        <Asks
          verb="Delete"
          label={`Delete ${of.projectName}`}
          danger
          warns="It goes for good, and its runs with everything they logged."
          onSend={async (field) => {
            if (field('confirm') !== of.projectName)
              throw new Error(`write ${of.projectName} to say that you mean it`);
            deleteSoon({
              what: 'project',
              name: of.projectName,
              id: of.projectId,
              onDo: () =>
                placeServer.deleteProject({ body: { ...named, deleteAllExperiments: true } }),
              leaves: pathOf('w', workspace),
            });
            return Promise.resolve();
          }}
        >
          <label>
            Its name, once more
            <input name="confirm" required autocomplete="off" />
          </label>
        </Asks>
      </p>
    </>
  );
};

const ProjectNotes = ({ project }: { project: string }) => {
  const { value, fault, again } = useStored(
    (signal) => placeServer.getNotes({ query: { projectId: project } }, signal),
    [project],
  );
  return (
    <Notes
      stored={value?.notes}
      fault={fault}
      hint="What is worth knowing about this project"
      now={async () => (await placeServer.getNotes({ query: { projectId: project } })).notes}
      onKeep={(notes) =>
        placeServer.setNotes({ body: { projectId: project, notes } }).then(() => again())
      }
    />
  );
};

export const AboutScreen = ({ workspace, project }: { workspace: string; project: string }) => {
  const { value, fault, again } = useStored(
    (signal) =>
      server.getProject({ query: { workspaceName: workspace, projectName: project } }, signal),
    [workspace, project],
  );
  return (
    <main class="page wide">
      <h1 dir="auto">{project}</h1>
      <ProjectPages workspace={workspace} project={project} at="about" />
      {value === undefined ? (
        <Wait fault={fault} />
      ) : (
        <>
          {mayWrite.value ? (
            <Changes of={value} workspace={workspace} again={again} />
          ) : (
            <p class="faint">{value.projectDescription}</p>
          )}
          <h2>Notes</h2>
          <ProjectNotes project={value.projectId} />
          <h2>What it holds</h2>
          <Held project={value.projectId} />
          {mayWrite.value ? <Shares of={value} workspace={workspace} /> : null}
        </>
      )}
    </main>
  );
};
