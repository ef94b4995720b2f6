// Which version a request means.
import { Failure } from '#ports/failure';
import type { Artifact, ArtifactVersion } from '#ports/model/artifacts';
import type { ArtifactVersionStore } from '#ports/storage/artifact-versions';
import { latest } from './making.js';
import { absentVersion } from './rules.js';

export interface Selection {
  readonly version?: string | undefined;
  readonly alias?: string | undefined;
  readonly versionOrAlias?: string | undefined;
}

const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const find = async (
  artifactVersions: ArtifactVersionStore,
  { id }: Artifact,
  selection: Selection,
): Promise<{ readonly asked: string; readonly found: ArtifactVersion | undefined }> => {
  const [version, alias, either] = [
    filled(selection.version),
    filled(selection.alias),
    filled(selection.versionOrAlias),
  ];
  if (version !== undefined)
    return { asked: version, found: await artifactVersions.findVersionByNumber(id, version) };
  if (alias !== undefined)
    return { asked: alias, found: await artifactVersions.findVersionByAlias(id, alias) };
  if (either !== undefined)
    return {
      asked: either,
      found:
        (await artifactVersions.findVersionByNumber(id, either)) ??
        (await artifactVersions.findVersionByAlias(id, either)),
    };
  return { asked: latest, found: await findLatest(artifactVersions, id) };
};

/** The one that closed last, else the highest closed one, else the highest. */
export const findLatest = async (
  artifactVersions: ArtifactVersionStore,
  artifactId: string,
): Promise<ArtifactVersion | undefined> =>
  (await artifactVersions.findVersionByAlias(artifactId, latest)) ??
  (await artifactVersions.findHighestVersion(artifactId, 'CLOSED')) ??
  (await artifactVersions.findHighestVersion(artifactId));

/**
 * The version that was named by its id, while it is open too, or else the one of the artifact that the selection means, once it is closed.
 * Rejects with `invalid` when nothing is named, with `absent` when there is none, with `conflict` for one that is not finished or has failed.
 */
export const selectVersion = async (
  artifactVersions: ArtifactVersionStore,
  artifact: Artifact | undefined,
  version: ArtifactVersion | undefined,
  selection: Selection,
): Promise<ArtifactVersion> => {
  if (version === undefined && artifact === undefined)
    throw new Failure(
      'invalid',
      'versionId, or artifactId, or workspace and artifactName, is required',
    );
  const { asked, found } =
    version !== undefined || artifact === undefined
      ? { asked: '', found: version }
      : await find(artifactVersions, artifact, selection);
  if (found === undefined) throw absentVersion(`${artifact?.name.slice(0, 60) ?? ''}:${asked}`);
  if (found.state === 'ERROR')
    throw new Failure('conflict', `artifact version ${found.version} has failed`, {
      reason: 'artifactVersionFailed',
    });
  if (found.state === 'OPEN' && version === undefined)
    throw new Failure('conflict', `artifact version ${found.version} is not closed yet`, {
      reason: 'artifactVersionOpen',
    });
  return found;
};
