export enum Status {
  Open,
  Closed,
}

export namespace Status {
  export function parse(text: string) {
    return text === "open" ? Status.Open : Status.Closed;
  }
}
