makePage().open(JSON.parse(element("data").textContent), { at: Number(location.hash.slice(1)) || 0 });
