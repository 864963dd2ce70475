SELECT plan, COUNT(*) AS years, AVG(visits) AS visits, AVG(diseases) AS diseases
FROM data
GROUP BY plan
