/** Whether a text has the form of the ids that the server makes; one engine refuses to compare an id with anything else. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
