/** A JSON value that is kept as its text: without blanks around values, without escapes that need not be, every digit of its numbers. */
export class JsonText {
  constructor(readonly json: string) {}
}
