// Passkeys: create one, or sign in with one. Without this script, personal links and recovery codes still work.

const requests = {
  add: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  "sign-in": (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
};
const paths = { add: "/me/passkeys", "sign-in": "/me/sign-in" };

/** Send a form; return the response, or throw an error with its sentence. */
async function send(path, fields = {}) {
  const response = await fetch(path, { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(fields) });
  const facts = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(facts.why ?? "");
  return facts;
}

async function use(button) {
  const kind = button.dataset.passkey;
  const problem = document.querySelector(`p[data-problem="${kind}"]`);
  button.disabled = true;
  problem.hidden = true;
  let why = "";
  try {
    const options = await send(`${paths[kind]}/options`).catch((error) => { why = error.message; throw error; });
    const credential = await requests[kind](options);
    const { next } = await send(paths[kind], { answer: JSON.stringify(credential) }).catch((error) => { why = error.message; throw error; });
    const { pathname, search } = new URL(next, location);
    if (pathname === location.pathname && search === location.search) location.reload();
    else location.assign(next);
  } catch {
    problem.textContent = why || button.dataset.problem;
    problem.hidden = false;
    button.disabled = false;
    button.focus();
  }
}

const supported = Boolean(globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON);
for (const button of document.querySelectorAll("[data-passkey]")) {
  button.hidden = !supported;
  button.addEventListener("click", () => use(button));
}
for (const text of document.querySelectorAll("[data-no-passkeys]")) text.hidden = supported;
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
