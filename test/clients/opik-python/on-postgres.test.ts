import { goesThroughAll } from './client.js';

goesThroughAll({ storage: 'postgres', base: '/opik/api' });
