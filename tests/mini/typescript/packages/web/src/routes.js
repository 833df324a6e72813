const table = {};

function Router(name) {
  this.name = name;
}

Router.prototype.add = function (path, handler) {
  table[path] = handler;
  return this.count();
};

Router.prototype.count = function () {
  return Object.keys(table).length;
};

exports.route = function route(path, handler) {
  return new Router("main").add(path, handler);
};
