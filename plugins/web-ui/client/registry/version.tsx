// One version of a model: status and stages, files, history, comments, lineage.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatBytes } from '../../pure/format.js';
import { Lineage } from '../lineage/lineage.js';
import { LiveTraces } from '../lineage/live-traces.js';
import { useLoaded } from '../loading.js';
import { mayWrite } from '../request.js';
import { registryServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { query, setQuery } from '../state.js';
import { Comments } from '../told/comments.js';
import { Labels } from '../told/labels.js';
import { History } from './history.js';
import { MoveStage } from './move-stage.js';
import { Status, type Model, type Version } from './status.js';
import { Deletes } from '../shell/deletes.js';
import { Fault } from '../shell/wait.js';

const tabs = ['files', 'history', 'comments', 'lineage'] as const;

const mostFiles = 1000;

const Files = ({ of, workspace, model }: { of: Version; workspace: string; model: string }) => {
  const names = `workspaceName=${encodeURIComponent(workspace)}&modelName=${encodeURIComponent(model)}&version=${encodeURIComponent(of.version)}`;
  return (
    <>
      <p class="controls">
        <a class="button" href={`/api/rest/v2/registry-model/item/download?${names}`} download>
          Download all as zip
        </a>
        {mayWrite.value ? (
          <Deletes
            what="version"
            name={of.version}
            id={of.registryModelItemId}
            warns="Whoever fetches it finds nothing any more. The run that made it keeps its files."
            onDo={() =>
              registryServer.removeVersion({ query: { modelItemId: of.registryModelItemId } })
            }
            leaves={pathOf('w', workspace, 'model', model)}
          />
        ) : null}
      </p>
      {of.assets.length === 0 ? <p class="empty">This version has no files.</p> : null}
      <table class="plain">
        <tbody>
          {of.assets.slice(0, mostFiles).map((one) => (
            <tr key={one.assetId}>
              <td>{one.fileName}</td>
              <td class="number short">{formatBytes(one.fileSize)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Cut shown={mostFiles} of={of.assets.length} what="files" how="the zip has all" />
    </>
  );
};

export const VersionPart = ({
  of,
  workspace,
  model,
  onChange,
}: {
  of: Version;
  workspace: string;
  model: Model;
  onChange: () => void;
}) => {
  const tab = tabs.find((one) => one === query.value.get('part')) ?? 'files';
  const { value, fault } = useLoaded(
    (signal) =>
      registryServer.getVersion(
        { query: { workspaceName: workspace, modelName: model.modelName, version: of.version } },
        signal,
      ),
    [of.registryModelItemId, of.lastUpdated, model],
  );
  const stages = (now: readonly string[]) => {
    const item = (stage: string) => ({ query: { modelItemId: of.registryModelItemId, stage } });
    const added = now
      .filter((one) => !of.stages.includes(one))
      .map((one) => registryServer.addStage(item(one)));
    const gone = of.stages
      .filter((one) => !now.includes(one))
      .map((one) => registryServer.deleteStage(item(one)));
    return Promise.all([...added, ...gone]).then(onChange);
  };
  return (
    <section class="version" aria-label={`Version ${of.version}`}>
      <h2>
        {of.version} <span class="state">{of.status}</span>{' '}
        <span class="faint">
          {of.userName}, {formatAgo(of.createdAt, Date.now())} ·{' '}
          <a href={pathOf('experiment', of.experimentModel.experimentKey)}>the run it is of</a>
        </span>
      </h2>
      {of.comment === null ? null : <p class="notes">{of.comment}</p>}
      <Labels what="stage" labels={of.stages} onChange={stages} />
      <MoveStage of={of} model={model} onChange={onChange} />
      <Status
        key={of.registryModelItemId}
        of={of}
        workspace={workspace}
        pending={value?.pendingStatus ?? null}
        onChange={onChange}
      />
      <Fault of={fault} />
      <nav class="tabs" aria-label="Parts of the version">
        {tabs.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === tab}
            onClick={() => setQuery({ part: one === 'files' ? undefined : one }, true)}
          >
            {one}
          </button>
        ))}
      </nav>
      {tab === 'files' ? <Files of={of} workspace={workspace} model={model.modelName} /> : null}
      {tab === 'history' ? <History of={of} /> : null}
      {tab === 'comments' ? <Comments of={{ version: of.registryModelItemId }} /> : null}
      {tab === 'lineage' ? (
        <>
          <Lineage of={{ modelVersion: of.registryModelItemId }} />
          <LiveTraces
            opened
            workspace={workspace}
            of={{ model: model.modelName, version: of.version }}
          />
        </>
      ) : null}
    </section>
  );
};
