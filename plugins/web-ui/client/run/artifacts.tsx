// The versions of artifacts that a run used and made.
import { pathOf } from '../../pure/address.js';
import { formatBytes } from '../../pure/format.js';
import { Lineage } from '../lineage/lineage.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { RunModels } from './models.js';
import { Wait } from './wait.js';

type Version = Awaited<ReturnType<typeof runServer.getArtifacts>>['inputArtifacts'][number];

const Versions = ({ versions, none }: { versions: readonly Version[]; none: string }) =>
  versions.length === 0 ? (
    <p class="empty">{none}</p>
  ) : (
    <table class="plain">
      <thead>
        <tr>
          <th>Artifact</th>
          <th>Version</th>
          <th>Type</th>
          <th class="number">Size</th>
        </tr>
      </thead>
      <tbody>
        {versions.map(({ artifact, artifactVersion, artifactVersionId, alias, sizeInBytes }) => (
          <tr key={artifactVersionId}>
            <td>
              <a
                href={pathOf(
                  'w',
                  artifact.workspaceName,
                  'artifact',
                  artifact.artifactName,
                  artifactVersion,
                )}
              >
                {artifact.artifactName}
              </a>
            </td>
            <td>
              {artifactVersion} <span class="faint">{alias.join(', ')}</span>
            </td>
            <td>{artifact.artifactType}</td>
            <td class="number">{formatBytes(sizeInBytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );

export const RunArtifacts = ({ run, workspace }: { run: string; workspace: string }) => {
  const found = useLoaded(
    (signal) => runServer.getArtifacts({ query: { experimentKey: run } }, signal),
    [run],
  );
  if (found.value === undefined) return <Wait of={found} />;
  return (
    <>
      <div class="columns">
        <section>
          <h2>Used</h2>
          <Versions versions={found.value.inputArtifacts} none="This run used no artifact." />
        </section>
        <section>
          <h2>Made</h2>
          <Versions versions={found.value.outputArtifacts} none="This run made no artifact." />
        </section>
      </div>
      <h2>Models</h2>
      <RunModels run={run} workspace={workspace} />
      <h2>Lineage</h2>
      <Lineage of={{ run }} />
    </>
  );
};
