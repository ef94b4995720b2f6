// The models that the workspace can ask, for fields that complete their names by the list `known-models`.
import { modelChoices } from '../../pure/playground.js';
import { providersServer } from '../evaluating-server.js';
import { useLoaded } from '../loading.js';
import { Fault } from '../shell/wait.js';

export const Models = () => {
  const { value, fault } = useLoaded(async (signal) => {
    const [known, keys] = await Promise.all([
      providersServer.models({}, signal),
      providersServer.list({}, signal),
    ]);
    return { choices: modelChoices(known, keys.content), keys: keys.content.length };
  }, []);
  return (
    <>
      <datalist id="known-models">
        {(value?.choices ?? []).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Fault of={fault} />
      {value?.keys === 0 ? <NoKey /> : null}
    </>
  );
};
const NoKey = () => (
  <p class="empty">
    The workspace has no key for a provider of models yet. Somebody who administers it adds one
    under “providers”.
  </p>
);
