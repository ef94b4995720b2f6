// Durations of ISO 8601 in whole seconds, up to a week. Pure.
import { Failure } from '#ports/failure';

const form = /^P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,7})(?:\.0+)?S)?)?$/;
const week = 7 * 24 * 3600;

/** Seconds. Rejects with `unprocessable` for what is no duration, has a part of a second, or lasts longer than seven days. */
export const readDuration = (text: string, member: string): number => {
  const found = /\d/.test(text) ? form.exec(text) : null;
  if (found === null)
    throw new Failure(
      'unprocessable',
      `${member} must be an ISO 8601 duration in whole seconds, such as PT15M`,
    );
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0));
  const all = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  if (all < 1 || all > week)
    throw new Failure('unprocessable', `${member} must last from one second to seven days`);
  return all;
};

/** As short as it can be told: `PT15M`, `PT1H30M`, `PT45S`. */
export const showDuration = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const rest = seconds % 60;
  return `PT${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${rest > 0 || seconds === 0 ? `${rest}S` : ''}`;
};
