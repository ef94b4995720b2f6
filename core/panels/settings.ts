import { areaSettings, whole, type ToggleRows } from '#ports/area-settings';

export const panelSettings = areaSettings('panels', {
  MAX_EXPERIMENTS_FOR_CHART_TYPE_DETECTION: whole(
    1000,
    'Only for pages: experiments that they look at to choose the panels of a project',
  ),
  MAX_ASSETS_IN_PANEL: whole(100, 'Only for pages: images, sounds and videos in one panel'),
});

export const panelToggles: ToggleRows = {
  '3d-panel': {
    default: true,
    says: 'Only for clients and pages: they show the panel for 3D points and boxes',
    since: 'February 2024',
  },
  'curves-panel': {
    default: true,
    says: 'Only for clients and pages: they show the panel for logged curves',
    since: 'March 2024',
  },
  'python-environments': {
    default: false,
    says: 'Only for pages: the Python environment of panels, which browsers run',
    since: 'May 2024',
  },
  'server-custom-panels': {
    default: false,
    says: 'Only for pages: panels that users write run in the browser, never here',
    since: 'May 2024',
  },
  'video-panel': {
    default: true,
    says: 'Only for clients and pages: they show the panel for videos',
    since: 'October 2023',
  },
};
