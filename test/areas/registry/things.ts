import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';
import { assets } from '#test/areas/assets/things';
import { experiments } from '#test/areas/experiments/things';

/** The model of a run, registered under a name with a version that has a stage, and the wish for another status. */
export const models = thing(async ({ ask, read, of }) => {
  await of(assets); // the files of the model
  const { experimentKey } = await of(experiments);
  const listed = await read(`/api/rest/v2/experiment/model?experimentKey=${experimentKey}`);
  const [model] = listed['models'] as readonly { readonly experimentModelId: string }[]; // the row's reply
  const experimentModelId = model?.experimentModelId ?? '';
  const [registryModelName, stage] = [freshName('Net'), 'staging'];
  const write = '/api/rest/v2/write/registry-model';
  const { registryModelId = '', registryModelItemId: modelVersionId = '' } = await ask(write, {
    experimentModelId,
    registryModelName,
    stages: [stage],
  });
  const { requestId: statusRequestId = '' } = await ask(`${write}/item/status-request`, {
    modelItemId: modelVersionId,
    status: 'Production',
  });
  return {
    experimentModelId,
    registryModelId,
    registryModelName,
    modelVersionId,
    stage,
    statusRequestId,
  };
});
