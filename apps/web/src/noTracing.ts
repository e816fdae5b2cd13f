/** Replaces LangSmith's tracing client, a dependency of the message library: the page sends no traces. */
export class Client {}
export class RunTree {}
export const isRunTree = (): boolean => false;
export const isTraceableFunction = (): boolean => false;
export const getCurrentRunTree = (): undefined => undefined;
export const convertToDottedOrderFormat = (): never => {
  throw new Error("Tracing is not part of the page.");
};
