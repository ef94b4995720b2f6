// One artifact: its versions, and of one of them the files, what changed, who used it, and where it came from.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatBytes } from '../../pure/format.js';
import { Lineage } from '../lineage/lineage.js';
import { mayWrite } from '../request.js';
import { useSubject } from '../subject.js';
import { artifactServer } from '../server.js';
import { deletions, isGoing } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Coming, Stale, Versions } from '../shell/versions.js';
import { query, setQuery, tell } from '../state.js';
import { Labels } from '../told/labels.js';
import { VersionFiles } from './files.js';
import { Changes, Consumers, shownMetadata, type Artifact, type Version } from './parts.js';

const tabs = ['files', 'changes', 'used by', 'lineage', 'metadata'] as const;

const VersionPart = ({
  workspace,
  of,
  version,
  onChange,
}: {
  workspace: string;
  of: Artifact;
  version: Version;
  onChange: () => void;
}) => {
  const tab = tabs.find((one) => one === query.value.get('tab')) ?? 'files';
  const label = (body: { readonly alias?: string[]; readonly versionTags?: string[] }) =>
    artifactServer
      .label({ body: { artifactVersionId: version.artifactVersionId, ...body } })
      .then(() => {
        onChange();
        tell('Saved');
      });
  const stored = async () =>
    (await artifactServer.get({ query: { workspace, artifactName: of.name } })).versions.find(
      ({ artifactVersionId: id }) => id === version.artifactVersionId,
    );
  return (
    <section class="version" aria-label={`Version ${version.version}`}>
      <h2>
        {version.version}{' '}
        <span class="faint">
          {formatBytes(version.sizeInBytes)} · {formatAgo(version.added, Date.now())} ·{' '}
          {version.owner}{' '}
          {version.state === null || version.state === 'CLOSED'
            ? ''
            : `· ${version.state.toLowerCase()}`}
        </span>
      </h2>
      <Labels
        what="alias"
        labels={version.alias}
        stored={async () => (await stored())?.alias}
        onChange={(alias) => label({ alias: [...alias] })}
      />
      <Labels
        what="tag"
        labels={version.tags}
        stored={async () => (await stored())?.tags}
        onChange={(tags) => label({ versionTags: [...tags] })}
      />
      <nav class="tabs" aria-label="Parts of the version">
        {tabs.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === tab}
            onClick={() => setQuery({ tab: one === 'files' ? undefined : one }, true)}
          >
            {one}
          </button>
        ))}
      </nav>
      {tab === 'files' ? (
        <VersionFiles artifactId={of.artifactId} versionId={version.artifactVersionId} />
      ) : null}
      {tab === 'changes' ? (
        <Changes key={version.artifactVersionId} of={of} version={version} />
      ) : null}
      {tab === 'used by' ? <Consumers version={version.artifactVersionId} /> : null}
      {tab === 'lineage' ? <Lineage of={{ artifactVersion: version.artifactVersionId }} /> : null}
      {tab === 'metadata' ? (
        <pre class="code" tabIndex={0} role="region" aria-label="Metadata">
          {shownMetadata(version.metadata)}
        </pre>
      ) : null}
    </section>
  );
};

export const ArtifactScreen = ({
  workspace,
  name,
  version,
}: {
  workspace: string;
  name: string;
  version: string | undefined;
}) => {
  const found = useSubject(
    (signal) => artifactServer.get({ query: { workspace, artifactName: name } }, signal),
    [workspace, name, deletions.value],
  );
  const { value } = found;
  if (value === undefined) return <Coming of={found} />;
  const newest = [...value.versions].reverse();
  const goes = ({ artifactVersionId: id }: Version) => isGoing('version', id);
  const staying = newest.filter((one) => !goes(one));
  const latest = staying.find((one) => one.version === value.latestVersion);
  const shown =
    version === undefined
      ? (latest ?? staying[0] ?? newest[0])
      : newest.find((one) => one.version === version || one.alias.includes(version));
  return (
    <main class="page wide">
      <h1 dir="auto">
        {name} <span class="faint">{value.type}</span>
      </h1>
      <Stale of={found} what="artifact" list={pathOf('w', workspace, 'artifacts')} />
      <p class="controls">
        {value.description ? <span class="faint">{value.description}</span> : null}
        {mayWrite.value && shown !== undefined ? (
          <Deletes
            text="Delete the version"
            what="version"
            name={shown.version}
            id={shown.artifactVersionId}
            warns="Its files go with it, and its number is never used again. Runs that used it still say so."
            onDo={() =>
              artifactServer.removeVersion({
                body: { artifactVersionId: shown.artifactVersionId },
              })
            }
            leaves={pathOf('w', workspace, 'artifact', name)}
          />
        ) : null}
        {mayWrite.value ? (
          <Deletes
            text="Delete the artifact"
            what="artifact"
            name={name}
            id={value.artifactId}
            warns="All of its versions and their files go with it."
            onDo={() => artifactServer.remove({ body: { artifactId: value.artifactId } })}
            leaves={pathOf('w', workspace, 'artifacts')}
          />
        ) : null}
      </p>
      <Versions
        what="artifact"
        named={version}
        shown={shown?.version}
        all={newest.map((one) => ({
          version: one.version,
          says: [...(goes(one) ? ['being deleted'] : []), ...one.alias].join(', '),
          address: pathOf('w', workspace, 'artifact', name, one.version),
        }))}
      >
        {shown === undefined ? null : (
          <VersionPart workspace={workspace} of={value} version={shown} onChange={found.again} />
        )}
      </Versions>
    </main>
  );
};
