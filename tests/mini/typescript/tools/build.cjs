const { route } = require("../packages/web/src/routes");
const path = require("path");

module.exports = { build };

function build() {
  return route(path.join("a", "b"), clean);
}

function clean() {}
