// Runs each ability of a client and prints what became of it, as JSON: "" or the reason why it failed.

export const LOAN = 'Loan\n\n1. Interest\n\n1.1 The borrower pays interest of 7 per cent each year.\n'

export function check(condition, shown) {
  if (!condition) throw new Error(`not as expected: ${JSON.stringify(shown)}`.slice(0, 500))
}

export async function refused(call, words) {
  let answer
  try {
    answer = await call()
  } catch (error) {
    const said = [error.message, error.responseBody, error.cause?.message, error.text].join(' ')
    return check(said.includes(words), said)
  }
  check(false, answer)
}

// ORDERLY_ABILITY: the only one that is run.
export async function report(abilities) {
  const found = {}
  const only = process.env.ORDERLY_ABILITY
  for (const [name, ability] of Object.entries(abilities).filter(([name]) => !only || name === only)) {
    try {
      await ability()
      found[name] = ''
    } catch (error) {
      found[name] = `${error.name}: ${error.message}`.slice(0, 500)
    }
  }
  console.log(JSON.stringify(found))
  process.exit(0)
}
