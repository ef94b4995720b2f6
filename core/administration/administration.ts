import { administrationFamily } from '#ports/api/families/tracking';
import { administrationOperations } from '#ports/api/administration';
import { area } from '#ports/api/area';
import { isFailure } from '#ports/failure';
import { ShownSettings } from '#ports/settings-shown';
import { Toggles, type ToggleState } from '#ports/toggles';

const toRow = ({
  name,
  enabled,
  default: fallback,
  source,
  says,
  since,
  restart,
}: ToggleState) => ({
  name,
  enabled,
  default: fallback,
  source,
  description: says,
  since,
  restart,
});

export const administrationArea = area({
  name: 'administration',
  summary: 'Toggles and settings of the server.',
  family: administrationFamily,
  table: administrationOperations,
  needs: { toggles: Toggles, settings: ShownSettings },
  handlers: ({ toggles, settings }) => ({
    listEffectiveToggles: async () =>
      toggles.list().map(({ name, enabled }) => ({ name, enabled })),
    listToggles: async () => toggles.list().map(toRow),
    async changeToggle({ body }) {
      try {
        await toggles.change(body.name, body.enabled);
      } catch (thrown) {
        if (isFailure(thrown) && thrown.kind === 'conflict')
          return { status: 409, body: { msg: thrown.message, message: thrown.message } } as const;
        throw thrown;
      }
      return { status: 200, body: toggles.list().map(toRow) } as const;
    },
    listSettings: async () => settings.list(),
  }),
});
