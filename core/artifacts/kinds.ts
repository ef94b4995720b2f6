import { defineKind, parent } from '#ports/api/kind-definition';
import { kindOf, subjectsOf, type Operation } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import { artifact, artifactVersion } from '#ports/model/artifacts';
import { experiment } from '#ports/model/experiments';
import { storageOf } from '#ports/storage/storage';
import { workspaceOf } from '../workspaces/offers.js';
import { writes } from '../permissions.js';
import { isUuid } from '../uuid.js';
import { absentArtifact, absentVersion, artifactPlace, spellingsOf } from './rules.js';

/** Rows that look for a version answer an unknown artifact as an unknown version, which is all that their clients know. */
const asksForVersion = (operation: Operation): boolean =>
  subjectsOf(operation).some((subject) => kindOf(subject).name === artifactVersion.name);

const wordsOf = (path: string): string =>
  path
    .split('/')
    .map((place) => place.split('.').at(-1))
    .join(' and ');

export const artifactKind = defineKind(artifact, {
  needs: { storage: storageOf('artifacts', 'workspaces') },
  rules: ({ storage: { stores } }) => ({
    async find(name, { caller, found }) {
      if (name.texts.length === 1) return stores.artifacts.find(name.text);
      const home = found(experiment)?.workspaceId ?? caller.defaultWorkspaceId; // the row names the run before what it reads
      const workspaceId = await workspaceOf(stores, name, home);
      if (workspaceId === undefined) return undefined;
      for (const spelling of spellingsOf(name.text)) {
        const one = await stores.artifacts.findByName(workspaceId, spelling);
        if (one !== undefined) return one;
      }
      return undefined;
    },
    placeOf: artifactPlace,
    absent: (text, { operation }) =>
      absentArtifact(text, asksForVersion(operation) ? 'artifactVersionAbsent' : 'artifactAbsent'),
    missing: (paths) => new Failure('invalid', `${paths.map(wordsOf).join(', or ')} is required`),
  }),
});

export const artifactVersionKind = defineKind(artifactVersion, {
  parents: [
    parent(artifact, (version, of) => version.artifact.id === of.id),
    // What is written by a run stays in the workspace of that run.
    parent(
      experiment,
      (version, run, { operation }) =>
        !writes(operation.access.needs) || version.artifact.workspaceId === run.workspaceId,
    ),
  ],
  needs: { storage: storageOf('artifactVersions') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.artifactVersions.findVersion(text),
    findMany: async (ids) =>
      new Map((await stores.artifactVersions.listVersionsByIds(ids)).map((one) => [one.id, one])),
    // A version's number, unless it has the form of an id.
    isNone: ({ path, text }) => path === 'query.version' && !isUuid(text),
    placeOf: (found) => artifactPlace(found.artifact),
    absent: absentVersion,
  }),
});
