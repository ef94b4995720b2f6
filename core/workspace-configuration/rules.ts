// What a workspace has settled, for the areas that keep to it. Pure.
import type { WorkspaceConfiguration } from '#ports/model/workspace-configuration';

const usualInactivitySeconds = 15 * 60;

/** How long a thread is active after its last trace, in ms. */
export const threadInactivityMs = (configuration: WorkspaceConfiguration | undefined): number =>
  (configuration?.threadInactivitySeconds ?? usualInactivitySeconds) * 1000;
