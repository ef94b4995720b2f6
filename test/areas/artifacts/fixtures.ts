import { artifact, artifactVersion } from '#ports/model/artifacts';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { artifacts } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['artifacts'],
  kinds: [
    kindIn(artifact, artifacts, {
      name: ({ artifactId }) => artifactId,
      ownName: ({ artifactName }) => artifactName,
      unknown: () => unknownId,
    }),
    kindIn(artifactVersion, artifacts, {
      name: ({ artifactVersionId }) => artifactVersionId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    upsertArtifact: {
      with: () => ({ 'body.artifactName': freshName('artifact') }),
      ownNames: ['body.artifactName'],
    },
    setArtifactState: { with: () => ({ 'body.state': 'OPEN' }) },
    deleteArtifact: { consumes: true },
    deleteArtifactVersion: { consumes: true },
  },
};
