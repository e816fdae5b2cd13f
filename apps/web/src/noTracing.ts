/** In place of LangSmith's tracing client, which the message library brings along: the page reports to nobody. */
export class Client {}
export class RunTree {}
export const isRunTree = (): boolean => false;
export const isTraceableFunction = (): boolean => false;
export const getCurrentRunTree = (): undefined => undefined;
export const convertToDottedOrderFormat = (): never => {
  throw new Error("Tracing is not part of the page.");
};
