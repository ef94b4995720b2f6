// Taking a stage from the version that has it, and giving it to this one, at once.
import { stagesElsewhere } from '../../pure/stages.js';
import { attempt } from '../attempt.js';
import { mayWrite } from '../request.js';
import { registryServer } from '../server.js';
import { tell } from '../state.js';
import type { Model, Version } from './status.js';

const mostOffered = 12;

export const MoveStage = ({
  of,
  model,
  onChange,
}: {
  of: Version;
  model: Model;
  onChange: () => void;
}) => {
  const found = stagesElsewhere(model.versions, of);
  if (found.length === 0 || !mayWrite.value) return null;
  const move = (modelItemId: string, stage: string) =>
    registryServer.moveStage({ body: { modelItemId, stage } });
  const take = (stage: string, holders: readonly Version[]) =>
    attempt(
      move(of.registryModelItemId, stage).then(() => {
        onChange();
        const [before, ...others] = holders;
        const undo = () =>
          attempt(
            move(before?.registryModelItemId ?? '', stage).then(() => {
              tell(`${stage} is at ${before?.version} again`);
              onChange();
            }),
          );
        tell(
          `${stage} is at ${of.version} now`,
          // Several that had it could not all have it back by one act.
          before === undefined || others.length > 0 ? undefined : undo,
        );
      }),
    );
  return (
    <p class="controls" role="group" aria-label="Stages of other versions">
      {found.slice(0, mostOffered).map(({ stage, holders }) => (
        <button
          key={stage}
          type="button"
          title={`Takes it from ${holders.map(({ version }) => version).join(', ')}; there is no moment at which no version or two have it`}
          onClick={() => take(stage, holders)}
        >
          Move {stage} here from {holders[0]?.version}
          {holders.length > 1 ? ` and ${holders.length - 1} more` : ''}
        </button>
      ))}
    </p>
  );
};
