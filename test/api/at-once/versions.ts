// Versions of artifacts and of registered models that are made at once.
import { expect } from 'chai';
import { encodeParts } from '../sending.js';
import { freshName } from '../fresh.js';
import { atOnce, many, read, statuses, write } from './asking.js';
import type { UseCase } from './table.js';

const upsert = `${write}/artifacts/upsert`;
const rising = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${i + 1}.0.0`).sort();

export const versionCases: readonly UseCase[] = [
  {
    rule: 'gives every version of a new artifact a number of its own, without a refusal',
    holds: 'the artifact, and the workspace where there is none of the name yet',
    async run(asking) {
      const [{ key: experimentKey }, artifactName] = [await asking.addRun(), freshName('artifact')];

      const answers = await atOnce(many, () =>
        asking.ask(upsert, { experimentKey, artifactName, artifactType: 'data' }),
      );

      expect(statuses(answers)).to.deep.equal({ 200: many });
      expect(answers.map(({ body }) => String(body['currentVersion'])).sort()).to.deep.equal(
        rising(many),
      );
    },
  },
  {
    rule: 'gives every version of an artifact that is there a number of its own, without a refusal',
    holds: 'the artifact',
    async run(asking) {
      const [{ key: experimentKey }, artifactName] = [await asking.addRun(), freshName('artifact')];
      await asking.must(upsert, { experimentKey, artifactName, artifactType: 'data' });

      const answers = await atOnce(many, () =>
        asking.ask(upsert, {
          experimentKey,
          artifactName,
          artifactType: 'data',
          alias: ['newest'],
        }),
      );

      expect(statuses(answers)).to.deep.equal({ 200: many });
      expect(new Set(answers.map(({ body }) => body['currentVersion'])).size).to.equal(many);
    },
  },
  {
    rule: 'makes versions of a new artifact or of the one there was when it is deleted meanwhile',
    holds: 'the artifact, and the workspace where there is none of the name any more',
    async run(asking) {
      for (let round = 0; round < 3; round++) {
        const [{ key: experimentKey }, artifactName] = [
          await asking.addRun(),
          freshName('artifact'),
        ];
        const { artifactId } = await asking.must(upsert, {
          experimentKey,
          artifactName,
          artifactType: 'data',
        });
        const make = () =>
          asking.ask(upsert, { experimentKey, artifactName, artifactType: 'data' });

        const [first, gone, second] = await Promise.all([
          atOnce(many / 2, make),
          asking.ask(`${write}/artifacts/delete`, { artifactId }),
          atOnce(many / 2, make),
        ]);

        expect(statuses([...first, gone, ...second])).to.deep.equal({ 200: many + 1 });
      }
    },
  },
  {
    rule: 'gives an alias to one version when all give it to theirs',
    holds: 'the artifact',
    async run(asking) {
      const [{ key: experimentKey }, artifactName] = [await asking.addRun(), freshName('artifact')];
      const made = await atOnce(20, () =>
        asking.must(upsert, { experimentKey, artifactName, artifactType: 'data' }),
      );

      const answers = await Promise.all(
        made.map(({ artifactVersionId }) =>
          asking.ask(`${write}/artifacts/version/labels`, { artifactVersionId, alias: ['best'] }),
        ),
      );

      expect(statuses(answers)).to.deep.equal({ 200: 20 });
      const { versions } = (await asking.must(
        `${read}/artifacts/get?workspace=${asking.workspace}&artifactName=${artifactName}`,
      )) as { readonly versions: readonly { readonly alias: readonly string[] }[] }; // the row's reply
      expect(versions.filter(({ alias }) => alias.includes('best'))).to.have.length(1);
    },
  },
  {
    rule: 'registers every version of a model under a number of its own',
    holds: 'the registered model, and the workspace where there is none of the name yet',
    async run(asking) {
      const [{ key: experimentKey }, registryModelName] = [await asking.addRun(), freshName('Net')];
      const file = encodeParts([{ name: 'file', fileName: 'weights.bin', content: 'weights' }]);
      await asking.upload(
        `${write}/experiment/upload-asset?experimentKey=${experimentKey}&type=model-element&groupingName=net&fileName=weights.bin`,
        file,
      );

      const answers = await atOnce(many, () =>
        asking.ask(`${write}/registry-model/item/create`, {
          experimentKey,
          experimentModelName: 'net',
          registryModelName,
        }),
      );

      expect(statuses(answers)).to.deep.equal({ 200: many });
      expect(new Set(answers.map(({ body }) => body['registryModelItemId'])).size).to.equal(many);
    },
  },
];
