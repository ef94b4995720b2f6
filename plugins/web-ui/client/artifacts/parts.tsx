// Parts of a version of an artifact: who used it, what changed, what it says of itself.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { artifactServer } from '../server.js';
import { VersionChanges } from './files.js';
import { Wait } from '../shell/wait.js';

export type Artifact = Awaited<ReturnType<typeof artifactServer.get>>;
export type Version = Artifact['versions'][number];

export const Consumers = ({ version }: { version: string }) => {
  const { value, fault } = useLoaded(
    (signal) => artifactServer.consumers({ query: { versionId: version } }, signal),
    [version],
  );
  if (value === undefined) return <Wait fault={fault} />;
  if (value.consumers.length === 0) return <p class="empty">No run used this version.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th>Run</th>
          <th>Project</th>
          <th>Used</th>
        </tr>
      </thead>
      <tbody>
        {value.consumers.map((one) => (
          <tr key={one.experimentKey}>
            <td>
              <a
                href={pathOf(
                  'w',
                  one.workspaceName,
                  'p',
                  one.projectName,
                  'run',
                  one.experimentKey,
                )}
              >
                {one.experimentName}
              </a>
            </td>
            <td>{one.projectName}</td>
            <td>{formatAgo(one.usedAt, Date.now())}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** Metadata as it was sent, in lines. */
export const shownMetadata = (text: string | null): string => {
  try {
    return JSON.stringify(JSON.parse(text ?? 'null'), undefined, 2);
  } catch {
    return text ?? '';
  }
};

export const Changes = ({ of, version }: { of: Artifact; version: Version }) => {
  const others = of.versions.filter(
    ({ artifactVersionId }) => artifactVersionId !== version.artifactVersionId,
  );
  const at = of.versions.indexOf(version);
  const [from, setFrom] = useState((of.versions[at - 1] ?? others[0])?.artifactVersionId);
  if (from === undefined) return <p class="empty">There is only this version.</p>;
  return (
    <>
      <label class="slide">
        since
        <select value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)}>
          {others.map((one) => (
            <option key={one.artifactVersionId} value={one.artifactVersionId}>
              {one.version}
            </option>
          ))}
        </select>
      </label>
      <VersionChanges artifactId={of.artifactId} from={from} to={version.artifactVersionId} />
    </>
  );
};
