// One artifact: its versions, and of one of them the files, what changed, who used it, and where it came from.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatBytes } from '../../pure/format.js';
import { Lineage } from '../lineage/lineage.js';
import { mayWrite } from '../request.js';
import { useSubject } from '../subject.js';
import { artifactServer } from '../server.js';
import { Act } from '../shell/form.js';
import { Coming, Stale, Versions } from '../shell/versions.js';
import { go, query, setQuery, tell } from '../state.js';
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
    [workspace, name],
  );
  const { value } = found;
  if (value === undefined) return <Coming of={found} />;
  const newest = [...value.versions].reverse();
  const shown = newest.find((one) =>
    version === undefined
      ? one.version === (value.latestVersion ?? newest[0]?.version)
      : one.version === version || one.alias.includes(version),
  );
  return (
    <main class="page wide">
      <h1 dir="auto">
        {name} <span class="faint">{value.type}</span>
      </h1>
      <Stale of={found} what="artifact" list={pathOf('w', workspace, 'artifacts')} />
      <p class="controls">
        {value.description ? <span class="faint">{value.description}</span> : null}
        {mayWrite.value && shown !== undefined ? (
          <Act
            verb="Delete the version"
            label={`Delete the version ${shown.version}`}
            warns="Its files go with it, and its number is never used again. Runs that used it still say so."
            says="The version is deleted"
            danger
            onDo={async () => {
              const { artifactVersionId } = shown;
              await artifactServer.removeVersion({ body: { artifactVersionId } });
              go(pathOf('w', workspace, 'artifact', name));
              found.again();
            }}
          />
        ) : null}
        {mayWrite.value ? (
          <Act
            verb="Delete the artifact"
            label={`Delete the artifact ${name}`}
            warns="All of its versions and their files go with it."
            says="The artifact is deleted"
            danger
            onDo={async () => {
              await artifactServer.remove({ body: { artifactId: value.artifactId } });
              go(pathOf('w', workspace, 'artifacts'));
            }}
          />
        ) : null}
      </p>
      <Versions
        what="artifact"
        named={version}
        shown={shown?.version}
        all={newest.map((one) => ({
          version: one.version,
          says: one.alias.join(', '),
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
