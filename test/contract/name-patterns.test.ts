import { linearPatterns } from '#adapters/system/name-patterns';
import { namePatternContract } from './name-patterns.js';

describe('regular expressions over names', () => {
  namePatternContract(() => linearPatterns);
});
